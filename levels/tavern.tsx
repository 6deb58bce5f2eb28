<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" tiledversion="1.11.0" name="tavern" tilewidth="32" tileheight="32" tilecount="6" columns="6">
 <image source="tavern.png" width="192" height="32"/>
 <tile id="2">
  <properties>
   <property name="terrainType" value="Grass"/>
  </properties>
 </tile>
 <tile id="3">
  <properties>
   <property name="terrainType" value="Mud"/>
  </properties>
 </tile>
 <tile id="4">
  <properties>
   <property name="slowMultiplier" type="float" value="1.5"/>
   <property name="terrainType" value="Water"/>
  </properties>
 </tile>
 <tile id="5">
  <properties>
   <property name="isSafeZone" type="bool" value="true"/>
  </properties>
 </tile>
</tileset>
