<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="plain" tilewidth="16" tileheight="16" tilecount="4" columns="4">
 <image source="plain.png" width="64" height="16"/>
 <tile id="1"><properties><property name="terrainType" value="Mud"/></properties></tile>
 <tile id="2"><properties><property name="terrainType" value="Water"/><property name="slowMultiplier" type="float" value="1.5"/></properties></tile>
</tileset>
